#!/usr/bin/env bash
# Prints the version: project(VERSION) in CMakeLists.txt.
sed -n 's/^project(quartozero VERSION \([0-9.]*\).*/\1/p' "$(dirname "$0")/../CMakeLists.txt"
