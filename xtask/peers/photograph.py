"""Renders a GLB of toile with Blender's path tracer Cycles on the CPU, for comparison with `toile render`.

    python photograph.py final.glb BODY.obj|- OUT.png [WIDTH HEIGHT SAMPLES AZIMUTH]

The camera frames the first object from AZIMUTH degrees around the vertical axis, 5° above the horizon, as
`toile render --view AZIMUTH,5` does; light comes from soft boxes at the places of toile's studio. Prints one line of
JSON: seconds of wall and processor time. Needs Python 3.11 and the package bpy.
"""

import json
import math
import os
import sys
import time

import bpy
from mathutils import Vector

FIELD_OF_VIEW = 0.5
FILL = 0.90
# Azimuth and elevation [degrees], half sizes as tangents, radiance: crates/render/src/environment/studio.rs.
BOXES = [
    (-64, 38, (0.38, 0.60), (9.6, 9.1, 8.5)),
    (66, 12, (0.40, 0.75), (0.42, 0.45, 0.52)),
    (-142, 26, (0.20, 0.80), (2.1, 2.15, 2.3)),
    (140, 34, (0.24, 0.75), (3.6, 3.5, 3.35)),
    (0, 82, (0.60, 0.60), (0.55, 0.55, 0.57)),
]
ROOM = (0.066, 0.067, 0.07)


def direction(azimuth, elevation):
    """A direction in Blender's axes, z up; azimuth 0 is the front, which faces -y."""
    a, e = math.radians(azimuth), math.radians(elevation)
    return Vector((math.sin(a) * math.cos(e), -math.cos(a) * math.cos(e), math.sin(e)))


def camera(scene, points, azimuth, aspect):
    back = direction(azimuth, 5.0)
    right = Vector((0, 0, 1)).cross(back).normalized()
    up = back.cross(right)
    tangent = math.tan(0.5 * FIELD_OF_VIEW) * FILL
    slopes = (tangent * aspect, tangent)
    lo = Vector([min(p[k] for p in points) for k in range(3)])
    hi = Vector([max(p[k] for p in points) for k in range(3)])
    centre = 0.5 * (lo + hi)
    offset, distance = [0.0, 0.0], 0.0
    for k, axis in enumerate((right, up)):
        sides = [-math.inf, -math.inf]
        for p in points:
            x, depth = (p - centre).dot(axis), -(p - centre).dot(back)
            sides[0] = max(sides[0], x - slopes[k] * depth)
            sides[1] = max(sides[1], -x - slopes[k] * depth)
        offset[k] = 0.5 * (sides[0] - sides[1])
        distance = max(distance, 0.5 * (sides[0] + sides[1]) / slopes[k])
    data = bpy.data.cameras.new("camera")
    data.sensor_fit = "VERTICAL"
    data.angle_y = FIELD_OF_VIEW
    made = bpy.data.objects.new("camera", data)
    made.location = centre + right * offset[0] + up * offset[1] + back * distance
    made.rotation_euler = back.to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(made)
    scene.camera = made


def lights(scene, centre, azimuth):
    world = bpy.data.worlds.new("room")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (*ROOM, 1.0)
    scene.world = world
    for k, (a, e, (w, h), radiance) in enumerate(BOXES):
        toward = direction(a + azimuth, e)
        far = 20.0
        area = bpy.data.lights.new(f"box {k}", "AREA")
        area.shape = "RECTANGLE"
        area.size, area.size_y = 2 * w * far, 2 * h * far
        # An area lamp of power P and area A has the radiance P / (π A).
        strength = max(radiance)
        area.energy = strength * math.pi * area.size * area.size_y
        area.color = [c / strength for c in radiance]
        made = bpy.data.objects.new(f"box {k}", area)
        made.location = centre + toward * far
        made.rotation_euler = toward.to_track_quat("Z", "Y").to_euler()
        scene.collection.objects.link(made)


def paper():
    material = bpy.data.materials.new("paper")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.86, 0.82, 0.77, 1.0)
    shader.inputs["Roughness"].default_value = 0.9
    return material


def main(arguments):
    glb, body, out = arguments[:3]
    width, height, samples = (int(a) for a in (arguments[3:6] or (960, 720, 64)))
    azimuth = float(arguments[6]) if len(arguments) > 6 else 25.0
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for addon in ("cycles", "io_scene_gltf2"):
        bpy.ops.preferences.addon_enable(module=addon)
    bpy.ops.import_scene.gltf(filepath=glb)
    cloth = next(o for o in bpy.context.scene.objects if o.type == "MESH")
    points = [cloth.matrix_world @ v.co for v in cloth.data.vertices]
    smooth = cloth.modifiers.new("smooth", "SUBSURF")
    smooth.levels = smooth.render_levels = 1
    ground = min(p.z for p in points)
    if body != "-":
        bpy.ops.wm.obj_import(filepath=body)
        made = bpy.context.selected_objects[0]
        material = bpy.data.materials.new("mannequin")
        material.use_nodes = True
        shader = material.node_tree.nodes["Principled BSDF"]
        shader.inputs["Base Color"].default_value = (0.62, 0.56, 0.49, 1.0)
        shader.inputs["Roughness"].default_value = 0.55
        made.data.materials.clear()
        made.data.materials.append(material)
        ground = min((made.matrix_world @ v.co).z for v in made.data.vertices)
    bpy.ops.mesh.primitive_plane_add(size=60.0, location=(0, 0, ground))
    bpy.context.object.data.materials.append(paper())
    scene = bpy.context.scene
    camera(scene, points, azimuth, width / height)
    lights(scene, sum(points, Vector()) / len(points), azimuth)
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.use_denoising = True
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform = "AgX"
    scene.render.filepath = os.path.abspath(out)
    wall, used = time.monotonic(), time.process_time()
    bpy.ops.render.render(write_still=True)
    print(json.dumps({
        "wall_seconds": round(time.monotonic() - wall, 2),
        "cpu_seconds": round(time.process_time() - used, 2),
        "camera_rays": width * height * samples,
    }))


if __name__ == "__main__":
    main(sys.argv[1:])
