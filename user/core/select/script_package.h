/*
 * script_package: the package of a script's file, by its path. For the module of functions of
 * scripts, where a library's file stands for native ones: of programs in C one looks for libz, of
 * those in Python for json.
 *
 *	/usr/lib/python3.11/json/encoder.py                     python:json
 *	/usr/lib/python3.11/threading.py                        python:threading
 *	/srv/env/lib/python3.12/site-packages/numpy/core/f.py   python:numpy
 *	/usr/lib/python3/dist-packages/six.py                   python:six
 *	<frozen importlib._bootstrap>                           python:importlib
 *	/srv/shop/node_modules/express/lib/router/index.js      node:express
 *	node:internal/modules/cjs/loader                        node:internal
 *	/srv/shop/vendor/symfony/console/Application.php        php:symfony/console
 *	/var/lib/gems/3.1.0/gems/rack-2.2.4/lib/rack.rb         ruby:rack
 *	/srv/shop/views.py, <string>                            the file itself: the program's own
 */
#ifndef SELECT_SCRIPT_PACKAGE_H
#define SELECT_SCRIPT_PACKAGE_H

/* @language: "Python", "Node.js", "PHP", "Ruby". Freed by the caller. */
char *script_module(const char *language, const char *file);

/* What tells the file from others in whatever folder its packages are, by the module that
 * script_module() made of it: "python:json/encoder.py"; the file itself if that is its module.
 * Freed by the caller. */
char *script_place(const char *module, const char *file);

#endif
