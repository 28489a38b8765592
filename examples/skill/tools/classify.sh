#!/usr/bin/env bash
# Stand-in for a classifier: `classify.sh TEXT` prints {class, urgent}.
case "$1" in
  *crash*) echo '{"class": "crash", "urgent": true}' ;;
  *lost* | *loss*) echo '{"class": "loss", "urgent": true}' ;;
  *please* | *blue*) echo '{"class": "wish", "urgent": false}' ;;
  *) echo '{"class": "other", "urgent": false}' ;;
esac
