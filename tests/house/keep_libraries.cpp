// For the sanitized program only: libraries are never unloaded. The leak check runs at the end of the program, and can
// only tell a graphics driver's leaks from ours (leaks.txt) while the driver is still loaded.
extern "C" int dlclose(void*) { return 0; }
