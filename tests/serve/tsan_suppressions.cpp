// What the thread sanitizer is to leave aside in this program. Debian's cpp-httplib is compiled without it, so the guards of
// the library's own static variables are not seen, and what they guard looks like a race when two first requests meet.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libcpp-httplib.so\n"; }
