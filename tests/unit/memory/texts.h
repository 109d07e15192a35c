/*
 * A text of smaps, as Linux 6.18 writes it.
 */
#pragma once

static const char smaps_text[] =
	"556f59b78000-556f59b7a000 r--p 00000000 fe:00 247498     /usr/bin/head\n"
	"Size:                  8 kB\n"
	"Rss:                   8 kB\n"
	"Pss:                   4 kB\n"
	"Pss_Dirty:             0 kB\n"
	"Shared_Clean:          8 kB\n"
	"Private_Clean:         0 kB\n"
	"Private_Dirty:         0 kB\n"
	"Swap:                  0 kB\n"
	"SwapPss:               0 kB\n"
	"VmFlags: rd mr mw me \n"
	"556f59b7a000-556f59b80000 r-xp 00002000 fe:00 247498     /usr/bin/head\n"
	"Rss:                  24 kB\n"
	"Pss:                  12 kB\n"
	"Private_Clean:         4 kB\n"
	"Private_Dirty:         0 kB\n"
	"Swap:                  0 kB\n"
	"55d0e4a00000-55d0e4a21000 rw-p 00000000 00:00 0          [heap]\n"
	"Rss:                 100 kB\n"
	"Pss:                 100 kB\n"
	"Private_Clean:         4 kB\n"
	"Private_Dirty:        96 kB\n"
	"Private_Hugetlb:       0 kB\n"
	"Swap:                 16 kB\n"
	"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
	"Rss:                   4 kB\n"
	"Pss:                   4 kB\n"
	"Private_Dirty:         4 kB\n";
