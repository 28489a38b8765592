#!/bin/sh
# Stand-in for a registry.
cat > /dev/null
echo '{"url": "https://packages.example/release"}'
