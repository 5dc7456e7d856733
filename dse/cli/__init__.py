"""The commands: parse, call, print, exit code; one small file per command. Nothing imports this package."""
