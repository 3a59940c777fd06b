"""Runs a scene of toile in Blender's cloth simulator, with the figures of its Cotton preset.

    python blender.py SCENE.toml MESH.obj START.pc2 FRAMES.pc2 RESULT.json

The bodies and pins are read from the scene; triangles and material coordinates from the mesh; where the cloth
begins from the first frame of the point cache START. Positions are written to FRAMES, the first frame included,
30 frames a second; the time spent to RESULT. Only the stepping is timed: neither setting up nor reading positions.

Needs Python 3.11 and the package bpy. Knows what the shared scenes need: spheres, boxes and planes at rest, and
edges of a grid that are pinned or move steadily. Anything else is refused, so that no scene is silently another.
"""

import array
import json
import math
import struct
import sys
import time
import tomllib

import bpy

FRAMES_PER_SECOND = 30

# Blender's cloth does not know the frame rate: in each frame the way fallen grows by a thousandth of gravity,
# as if there were √1000 frames a second. The scale makes a frame last a thirtieth of a second.
TIME_SCALE = math.sqrt(1000.0) / FRAMES_PER_SECOND

# Blender's preset "Cotton", but for the scale of time; the mass is that of a vertex [kg], stiffnesses and dampings are in its own units.
COTTON = {
    "quality": 5,
    "time_scale": TIME_SCALE,
    "mass": 0.3,
    "air_damping": 1.0,
    "bending_model": "ANGULAR",
    "tension_stiffness": 15.0,
    "compression_stiffness": 15.0,
    "shear_stiffness": 15.0,
    "bending_stiffness": 0.5,
    "tension_damping": 5.0,
    "compression_damping": 5.0,
    "shear_damping": 5.0,
    "bending_damping": 0.5,
}

# Blender's own distances are 15 and 20 mm, more than half an edge of the cloth; these are what the scenes can bear.
DISTANCE = 0.005  # [m]
COLLISION = {
    "use_collision": True,
    "collision_quality": 2,
    "distance_min": DISTANCE,
    "use_self_collision": True,
    "self_distance_min": DISTANCE,
}

# Of the obstacles, in Blender's scale to 80. With its own figure of 5, cloth slides and stretches far more than
# cotton of friction 0.3 would.
FRICTION = 30.0

# A plane is a square with this half side [m]: no scene gets near its edge.
PLANE = 5.0


def refuse(what):
    sys.exit(f"blender.py: {what}")


def to_blender(p):
    """Blender has z up, toile y."""
    return (p[0], -p[2], p[1])


def from_blender(p):
    return (p[0], p[2], -p[1])


def read_obj(path):
    """Triangles, and for each vertex its material coordinates."""
    uv, triangles, of_vertex = [], [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if not words:
                continue
            if words[0] == "vt":
                uv.append((float(words[1]), float(words[2])))
            elif words[0] == "f":
                corners = [word.split("/") for word in words[1:]]
                if len(corners) != 3 or any(len(c) < 2 or not c[1] for c in corners):
                    refuse(f"{path}: a face is not a triangle with material coordinates")
                triangles.append([int(c[0]) - 1 for c in corners])
                of_vertex.update((int(c[0]) - 1, uv[int(c[1]) - 1]) for c in corners)
    return triangles, of_vertex


def read_first_frame(path):
    with open(path, "rb") as file:
        magic, _, points, _, _, frames = struct.unpack("<12siiffi", file.read(32))
        if magic != b"POINTCACHE2\0" or frames < 1:
            refuse(f"{path}: not a point cache with a frame")
        numbers = struct.unpack(f"<{3 * points}f", file.read(12 * points))
    return [numbers[k : k + 3] for k in range(0, 3 * points, 3)]


def write_frames(path, frames):
    points = len(frames[0])
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, points, 0.0, 1.0, len(frames)))
        for frame in frames:
            numbers = array.array("f", (c for p in frame for c in from_blender(p)))
            if sys.byteorder == "big":
                numbers.byteswap()
            file.write(numbers.tobytes())


def add_object(name, vertices, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([to_blender(v) for v in vertices], [], faces)
    mesh.update()
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def add_sphere(name, at, radius):
    """5120 triangles: nowhere is it farther from the true ball than 0.12 % of the radius."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5, radius=radius, location=to_blender(at))
    thing = bpy.context.object
    thing.name = name
    return thing


def add_box(name, at, size):
    corners = [
        tuple(c + (s if bit else -s) / 2 for c, s, bit in zip(at, size, (k & 1, k & 2, k & 4)))
        for k in range(8)
    ]
    # Outward, counter-clockwise: Blender pushes cloth to the front of a face.
    faces = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    return add_object(name, corners, faces)


def add_plane(name):
    corners = [(-PLANE, 0, -PLANE), (-PLANE, 0, PLANE), (PLANE, 0, PLANE), (PLANE, 0, -PLANE)]
    return add_object(name, corners, [(0, 1, 2, 3)])


def add_body(body):
    shape = dict(body["shape"])
    kind, at = shape.pop("type"), shape.pop("at", [0, 0, 0])
    unknown = set(body) - {"name", "shape"}
    if unknown:
        refuse(f"body `{body['name']}`: {', '.join(sorted(unknown))} is not known here")
    if kind == "sphere" and set(shape) == {"radius"}:
        thing = add_sphere(body["name"], at, shape["radius"])
    elif kind == "box" and set(shape) == {"size"}:
        thing = add_box(body["name"], at, shape["size"])
    elif kind == "plane" and not shape and at == [0, 0, 0]:
        thing = add_plane(body["name"])
    else:
        refuse(f"body `{body['name']}`: this {kind} is not known here")
    thing.modifiers.new("Collision", "COLLISION")
    thing.collision.thickness_outer = DISTANCE
    thing.collision.cloth_friction = FRICTION


def edge_of_grid(select, of_vertex):
    """Vertices of the first or last column of a grid, as in toile."""
    if select not in ("left", "right"):
        refuse(f"the selection `{select}` is not known here")
    u = [uv[0] for uv in of_vertex.values()]
    wanted = min(u) if select == "left" else max(u)
    return sorted(v for v, uv in of_vertex.items() if abs(uv[0] - wanted) < 1e-9)


def animate(holder, motion, last_frame, seconds):
    """Two keys with a straight line between them: a steady motion."""
    unknown = set(motion) - {"type", "velocity", "axis", "turns_per_second"}
    if motion["type"] != "steady" or unknown:
        refuse("only steady motions about the origin are known here")
    holder.rotation_mode = "AXIS_ANGLE"
    axis = to_blender(motion.get("axis", [0, 1, 0]))
    velocity = to_blender(motion.get("velocity", [0, 0, 0]))
    for frame, t in ((1, 0.0), (last_frame, seconds)):
        holder.location = [c * t for c in velocity]
        angle = math.tau * motion.get("turns_per_second", 0.0) * t
        holder.rotation_axis_angle = (angle, *axis)
        holder.keyframe_insert("location", frame=frame)
        holder.keyframe_insert("rotation_axis_angle", frame=frame)
    for curve in holder.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def pin(cloth, pins, of_vertex, last_frame, seconds):
    """Hooks move the pinned vertices of the mesh below the cloth; the cloth follows them there."""
    held = cloth.vertex_groups.new(name="pins")
    for k, one in enumerate(pins):
        vertices = edge_of_grid(one["select"], of_vertex)
        held.add(vertices, 1.0, "REPLACE")
        if "motion" not in one:
            continue
        holder = bpy.data.objects.new(f"holder {k}", None)
        bpy.context.scene.collection.objects.link(holder)
        animate(holder, one["motion"], last_frame, seconds)
        group = cloth.vertex_groups.new(name=f"held by {k}")
        group.add(vertices, 1.0, "REPLACE")
        hook = cloth.modifiers.new(f"Hook {k}", "HOOK")
        hook.object, hook.vertex_group, hook.falloff_type = holder, group.name, "NONE"
    return held.name


def positions(cloth):
    mesh = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    numbers = array.array("f", bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get("co", numbers)
    return [tuple(numbers[k : k + 3]) for k in range(0, len(numbers), 3)]


def main(scene_file, mesh_file, start_file, frames_file, result_file):
    with open(scene_file, "rb") as file:
        asked = tomllib.load(file)
    if len(asked["cloth"]) != 1:
        refuse("only scenes with one cloth are known here")
    triangles, of_vertex = read_obj(mesh_file)
    start = read_first_frame(start_file)
    if len(of_vertex) != len(start):
        refuse(f"{mesh_file} and {start_file} are not of the same mesh")

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    seconds = asked["duration"]
    last_frame = 1 + round(seconds * FRAMES_PER_SECOND)
    scene.render.fps, scene.render.fps_base = FRAMES_PER_SECOND, 1.0
    scene.frame_start, scene.frame_end = 1, last_frame
    scene.use_gravity, scene.gravity = True, (0.0, 0.0, -9.81)
    for body in asked.get("body", []):
        add_body(body)

    cloth = add_object("cloth", start, triangles)
    pins = asked["cloth"][0].get("pins", [])
    held = pin(cloth, pins, of_vertex, last_frame, seconds) if pins else ""
    modifier = cloth.modifiers.new("Cloth", "CLOTH")
    for key, value in COTTON.items():
        setattr(modifier.settings, key, value)
    for key, value in COLLISION.items():
        setattr(modifier.collision_settings, key, value)
    modifier.settings.vertex_group_mass = held
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, last_frame

    frames, cpu, wall = [], 0.0, 0.0
    for frame in range(1, last_frame + 1):
        cpu_before, wall_before = time.process_time(), time.perf_counter()
        scene.frame_set(frame)
        # The first frame is where it begins: nothing is stepped, but Blender builds its scene.
        if frame > 1:
            cpu += time.process_time() - cpu_before
            wall += time.perf_counter() - wall_before
        frames.append(positions(cloth))

    write_frames(frames_file, frames)
    result = {
        "version": bpy.app.version_string,
        "simulated_seconds": seconds,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "settings": {**COTTON, **COLLISION, "cloth_friction": FRICTION},
    }
    with open(result_file, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        refuse("SCENE.toml MESH.obj START.pc2 FRAMES.pc2 RESULT.json")
    main(*sys.argv[1:])
