local ready = true
include "include_itself"
