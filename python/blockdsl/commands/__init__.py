"""The commands of the program ``blockdsl``: each adds its own arguments, and gives the text to be printed."""
