#!/bin/sh
# Stands for a registry.
cat > /dev/null
echo '{"url": "https://packages.example/release"}'
