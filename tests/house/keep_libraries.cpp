// For the sanitized program only: libraries stay loaded once they are. The leak check comes at the end, and can only
// tell a graphics driver's leaks from ours (leaks.txt) while the driver is still there to be named.
extern "C" int dlclose(void*) { return 0; }
