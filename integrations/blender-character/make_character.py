"""Makes a character with an armature and a walk, and exports it from Blender as GLB.

    pip install bpy==4.5.0            # Python 3.11
    toile body make --figure male --out skin.obj --rig rig.json
    python make_character.py skin.obj rig.json character.glb [walk.bvh]

The skin is a mannequin; the armature has bones under names that are not toile's, weights are Blender's own
(bone heat), and the character stands two metres beside the origin. The walk is keyed at 24 frames a second: 2 s, two
strides, forward along -y of Blender (+z of glTF). The fourth file is the same motion of the armature alone.
"""

import json
import math
import sys

import bpy
from mathutils import Quaternion, Vector

RATE = 24
SECONDS = 2.0
CADENCE = 1.0  # strides per second
BESIDE = 2.0  # metres

# Names as other programs call them: toile's bone, its parent.
NAMES = {
    "pelvis": ("mixamorig:Hips", None),
    "spine": ("mixamorig:Spine", "pelvis"),
    "chest": ("mixamorig:Spine2", "spine"),
    "neck": ("mixamorig:Neck", "chest"),
    "head": ("mixamorig:Head", "neck"),
}
for side, name in (("left", "Left"), ("right", "Right")):
    NAMES |= {
        f"{side}-upper-arm": (f"mixamorig:{name}Arm", "chest"),
        f"{side}-forearm": (f"mixamorig:{name}ForeArm", f"{side}-upper-arm"),
        f"{side}-thigh": (f"mixamorig:{name}UpLeg", "pelvis"),
        f"{side}-shin": (f"mixamorig:{name}Leg", f"{side}-thigh"),
        f"{side}-foot": (f"mixamorig:{name}Foot", f"{side}-shin"),
    }


def blender(p):
    """From toile (y up, facing +z) to Blender (z up, facing -y)."""
    return Vector((p[0], -p[2], p[1]))


def read_skin(path):
    points, faces = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                points.append(blender([float(w) for w in words[1:4]]))
            elif words[:1] == ["f"]:
                faces.append([int(w.split("/")[0]) - 1 for w in words[1:]])
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(points, [], faces)
    mesh.validate()
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    skin = bpy.data.objects.new("skin", mesh)
    bpy.context.collection.objects.link(skin)
    return skin


def build_armature(path):
    with open(path) as file:
        places = {b["bone"]: b for b in json.load(file)["skeleton"]["bones"]}
    armature = bpy.data.objects.new("armature", bpy.data.armatures.new("armature"))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    made = {}
    for key, (name, parent) in NAMES.items():
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = blender(places[key]["joint"]), blender(places[key]["end"])
        bone.parent = made.get(parent)
        made[key] = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def bind(skin, armature):
    bpy.ops.object.select_all(action="DESELECT")
    skin.select_set(True)
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    for vertex in skin.data.vertices:
        if not vertex.groups:
            sys.exit(f"vertex {vertex.index} has no weights")


def turned(bone, axis, angle):
    """Turns a bone about an axis of the world at rest, in its own axes."""
    rest = bone.bone.matrix_local.to_3x3().inverted()
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = Quaternion(rest @ Vector(axis), angle)


def key_walk(armature):
    bones = armature.pose.bones
    sideways, ahead = (1, 0, 0), (0, -1, 0)
    for frame in range(int(RATE * SECONDS) + 1):
        phase = 2 * math.pi * CADENCE * frame / RATE
        for side, name, shift in ((1, "Left", 0.0), (-1, "Right", math.pi)):
            p = phase + shift
            hip = math.radians(22) * math.sin(p) + math.radians(6)
            knee = math.radians(25) * (1 - math.cos(p + 0.9)) + math.radians(4)
            # Positive angles about +x lift what is in front of the body when it points down.
            turned(bones[f"mixamorig:{name}UpLeg"], sideways, -hip)
            turned(bones[f"mixamorig:{name}Leg"], sideways, knee)
            turned(bones[f"mixamorig:{name}Foot"], sideways, 0.6 * (hip - knee))
            swing = Quaternion(sideways, math.radians(18) * math.sin(p))
            lower = Quaternion(ahead, -side * math.radians(24))
            arm = bones[f"mixamorig:{name}Arm"]
            turn = swing @ lower
            turned(arm, turn.axis, turn.angle)
            turned(bones[f"mixamorig:{name}ForeArm"], sideways, -math.radians(14))
        turned(bones["mixamorig:Hips"], (0, 0, 1), math.radians(5) * math.sin(phase))
        turned(bones["mixamorig:Spine2"], (0, 0, 1), -math.radians(8) * math.sin(phase))
        armature.location = (BESIDE, -1.1 * frame / RATE, 0.015 * math.cos(2 * phase) - 0.03)
        armature.keyframe_insert("location", frame=frame)
        for bone in bones:
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def main():
    skin_file, rig_file, out = sys.argv[1:4]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = RATE, 0, int(RATE * SECONDS)
    skin, armature = read_skin(skin_file), build_armature(rig_file)
    bind(skin, armature)
    armature.location = (BESIDE, 0, 0)
    key_walk(armature)
    bpy.ops.export_scene.gltf(filepath=out, export_format="GLB", export_animations=True, export_frame_range=True)
    for bvh in sys.argv[4:5]:
        bpy.ops.object.select_all(action="DESELECT")
        armature.select_set(True)
        bpy.context.view_layer.objects.active = armature
        bpy.ops.export_anim.bvh(filepath=bvh, frame_start=0, frame_end=scene.frame_end, root_transform_only=False)


main()
