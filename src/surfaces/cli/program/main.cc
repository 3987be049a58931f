#include "surfaces/cli/cli.h"

int main(int argc, char** argv) { return helve::cli::run(argc, argv); }
