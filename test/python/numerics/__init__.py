"""How exact the functions are, and that conversions and divisions mean what they should."""
