"""Imports the files of a garment into Blender and says what arrived. Run by `cargo xtask peers import`.

import_check.py FOLDER RESULT

FOLDER has final.obj, final.mtl, final.glb, unwelded.obj, body.obj, frames.pc2, frames.usda and report.json of
`toile drape … --with-body --unwelded --frames usda`. RESULT becomes a list of checks, each with "file", "what", "found" and
"good". Positions are compared in metres, in Blender's axes.
"""

import json
import re
import struct
import sys
from pathlib import Path

import bpy
from mathutils import Vector, kdtree

TOLERANCE = 1e-6  # [m]

folder, result = Path(sys.argv[1]), Path(sys.argv[2])
report = json.loads((folder / "report.json").read_text())
header = (folder / "frames.usda").read_text()[:400]
unit = float(re.search(r"metersPerUnit = (\S+)", header)[1])
up_axis = re.search(r'upAxis = "(.)"', header)[1]
checks = []


def check(file, what, found, good):
    checks.append({"file": file, "what": what, "found": found, "good": bool(good)})


def read_obj(name):
    """Vertices, panels and materials of an OBJ written by toile."""
    points, panels, materials = [], [], []
    for line in (folder / name).read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "v":
            points.append(Vector([float(x) for x in rest.split()]))
        elif word == "g":
            panels.append(rest)
        elif word == "usemtl" and rest not in materials:
            materials.append(rest)
    return points, panels, materials


def read_pc2(name):
    data = (folder / name).read_bytes()
    count, _, _, frames = struct.unpack_from("<iffi", data, 16)
    floats = struct.unpack_from(f"<{3 * count}f", data, 32 + 12 * count * (frames - 1))
    return frames, [Vector(floats[3 * i : 3 * i + 3]) for i in range(count)]


def y_up(p):
    """What importers do to a file that is y up."""
    return Vector((p.x, -p.z, p.y))


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def mesh_object(name):
    found = [o for o in bpy.data.objects if o.type == "MESH" and o.name.split(".")[0] == name]
    return found[0] if found else None


def world(obj):
    """Vertices as they are shown, with modifiers and animation [unit of the scene]."""
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [shown.matrix_world @ v.co for v in shown.data.vertices]


def farthest(a, b):
    """Largest distance of vertices with the same number."""
    return max((p - q).length for p, q in zip(a, b)) if len(a) == len(b) else float("inf")


def farthest_of_sets(a, b):
    """Largest distance of a point of one set from the other set."""
    largest = 0.0
    for points, others in ((a, b), (b, a)):
        tree = kdtree.KDTree(len(others))
        for i, p in enumerate(others):
            tree.insert(p, i)
        tree.balance()
        largest = max([largest] + [tree.find(p)[2] for p in points])
    return largest


def positions(file, what, distance, metres):
    check(file, f"{what}: largest difference [m]", distance * metres, distance * metres <= TOLERANCE)


def uv(file, obj):
    layers = obj.data.uv_layers
    values = {tuple(round(c, 6) for c in d.uv) for d in layers[0].data} if layers else set()
    check(file, "different uv points", len(values), len(values) > 100)


def slots(file, obj, expected):
    names = [s.material.name.split(".")[0] if s.material else None for s in obj.material_slots]
    used = len({p.material_index for p in obj.data.polygons})
    check(file, "material slots", names, sorted(names, key=str) == sorted(expected))
    check(file, "materials of faces", used, used == len(expected))
    colours = {tuple(round(c, 4) for c in base_color(s.material)) for s in obj.material_slots if s.material}
    check(file, "colours", sorted(colours), len(colours) == len(expected))


def base_color(material):
    """The colour of a material; of a texture, its mean."""
    if material.use_nodes:
        for node in material.node_tree.nodes:
            if node.type == "BSDF_PRINCIPLED":
                socket = node.inputs["Base Color"]
                image = image_behind(socket)
                return mean_colour(image) if image else tuple(socket.default_value)[:3]
    return tuple(material.diffuse_color)[:3]


def image_behind(socket):
    """The image whose colours reach a socket, through whatever nodes."""
    for link in socket.links:
        if link.from_node.type == "TEX_IMAGE":
            return link.from_node.image
        for behind in link.from_node.inputs:
            if image := image_behind(behind):
                return image
    return None


def mean_colour(image):
    pixels = image.pixels[:]
    return tuple(sum(pixels[c :: image.channels]) * image.channels / len(pixels) for c in range(3))


def attribute(file, obj, name, count):
    layer = obj.data.attributes.get(name)
    values = sorted({int(d.value) for d in layer.data}) if layer else None
    check(file, f"panels by the attribute {name}", values, values == list(range(count)))


cloth, panels, fabrics = read_obj("final.obj")
body, _, _ = read_obj("body.obj")
check("final.obj", "a garment of two fabrics", fabrics, len(fabrics) == 2)

# OBJ, and the point cache on it.
empty()
bpy.ops.wm.obj_import(filepath=str(folder / "final.obj"), import_vertex_groups=True, validate_meshes=False)
obj = mesh_object("garment")
positions("final.obj", "vertices", farthest(world(obj), [y_up(p) for p in cloth]), unit)
uv("final.obj", obj)
slots("final.obj", obj, fabrics)
groups = [g.name for g in obj.vertex_groups]
check("final.obj", "vertex groups", groups, sorted(groups) == sorted(panels))
check("final.obj", "custom normals", obj.data.has_custom_normals, obj.data.has_custom_normals)
frames, last = read_pc2("frames.pc2")
cache = obj.modifiers.new("motion", "MESH_CACHE")
cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(folder / "frames.pc2"), 0
bpy.context.scene.frame_set(frames - 1)
positions("frames.pc2", "last frame on final.obj", farthest(world(obj), [y_up(p) for p in last]), unit)
positions("frames.pc2", "last frame and final.obj", farthest(last, cloth), unit)
bpy.ops.wm.obj_import(filepath=str(folder / "body.obj"))
positions("body.obj", "vertices", farthest(world(mesh_object("body")), [y_up(p) for p in body]), unit)

empty()
bpy.ops.wm.obj_import(filepath=str(folder / "unwelded.obj"), use_split_groups=True)
names = sorted(o.name.split(".")[0] for o in bpy.data.objects)
check("unwelded.obj", "objects, split by groups", names, len(names) == len(panels))

# GLB stores vertices of seams once for each panel.
empty()
bpy.ops.import_scene.gltf(filepath=str(folder / "final.glb"))
obj = mesh_object("garment")
positions("final.glb", "vertices", farthest_of_sets(world(obj), [y_up(p) for p in cloth]), unit)
uv("final.glb", obj)
slots("final.glb", obj, fabrics)
attribute("final.glb", obj, "_PANEL", len(panels))
names = list(obj.data.get("panels", []))
check("final.glb", "names of panels", names, names == panels)
obj = mesh_object("body")
check("final.glb", "body", obj is not None, obj is not None)
if obj:
    positions("final.glb", "body", farthest_of_sets(world(obj), [y_up(p) for p in body]), unit)

# USD tells its unit and its axis.
empty()
bpy.ops.wm.usd_import(filepath=str(folder / "frames.usda"))
obj = mesh_object("garment")
bpy.context.scene.frame_set(frames - 1)
turned = (lambda p: Vector(p)) if up_axis == "Z" else y_up
shown = world(obj)
size = max(p.length for p in shown) / max(p.length for p in cloth)
scale = unit if abs(size - unit) < 0.01 * unit else 1.0
check("frames.usda", "scaled by the unit of the file", scale, scale == unit)
metres = unit / scale
positions("frames.usda", "last frame", farthest(shown, [turned(p) * scale for p in cloth]), metres)
uv("frames.usda", obj)
slots("frames.usda", obj, [re.sub(r"\W", "_", f) for f in fabrics])
attribute("frames.usda", obj, "panel", len(panels))
names = obj.data.get("panels") or obj.get("panels") or ""
check("frames.usda", "names of panels", names, names == ", ".join(panels))
obj = mesh_object("body")
check("frames.usda", "body", obj is not None, obj is not None)
if obj:
    positions("frames.usda", "body", farthest(world(obj), [turned(p) * scale for p in body]), metres)

result.write_text(json.dumps({"blender": bpy.app.version_string, "checks": checks}, indent=1))
