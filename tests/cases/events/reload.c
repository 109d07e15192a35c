/* Loads a plugin six times, calls its functions once each time, and unloads it; it comes to one address. */

#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 6 && argc > 1; i++) {
		void *plugin = dlopen(argv[1], RTLD_NOW);
		void *(*allocate)(int);
		int (*work)(int);

		if (!plugin)
			return 2;
		allocate = (void *(*)(int))dlsym(plugin, "plugin_allocate");
		work = (int (*)(int))dlsym(plugin, "plugin_work");
		if (!allocate(i))
			return 3;
		sum += work(i);
		dlclose(plugin);
	}
	return sum == 30 ? 0 : 1;
}
