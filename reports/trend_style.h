/* SPDX-License-Identifier: MIT
 * trend_style.h -- the looks of pictures of trends; light by itself, dark on screens that ask for it.
 */
#ifndef REPORTS_TREND_STYLE_H
#define REPORTS_TREND_STYLE_H

#define TREND_PICTURE_STYLE                                                                      \
	".picture{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;" \
	"font-variant-numeric:tabular-nums}\n"                                                   \
	".paper{fill:#ffffff}.plot{fill:#fafbfc}text{fill:#1f2328}\n"                            \
	".small{font-size:11px}.muted{fill:#59636e;font-size:11px}\n"                            \
	".headline{font-size:17px;font-weight:600}\n"                                            \
	".grid{stroke:#d8dee4;stroke-width:1}\n"                                                 \
	".frame{stroke:#8c959f;stroke-width:1;fill:none}\n"                                      \
	".line-reserved,.line-peak,.line-end{fill:none;stroke-width:2;stroke-linejoin:round}\n"  \
	".line-reserved{stroke:#8c959f}.line-peak{stroke:#0072b2}.line-end{stroke:#009e73}\n"    \
	".dot-reserved{fill:#8c959f}.dot-peak{fill:#0072b2}.dot-end{fill:#009e73}\n"             \
	".change{stroke:#d55e00;stroke-width:1.2;stroke-dasharray:4 3}\n"                        \
	".change-flag{fill:#d55e00;stroke:none}\n"                                               \
	"@media screen and (prefers-color-scheme:dark){\n"                                       \
	".paper{fill:#16181d}.plot{fill:#1b1e24}text{fill:#e6e9ee}.muted{fill:#a0a8b4}\n"        \
	".grid{stroke:#2e333c}.frame{stroke:#6b7380}\n"                                          \
	".line-peak{stroke:#56b4e9}.dot-peak{fill:#56b4e9}\n"                                    \
	".change{stroke:#ff8a3d}.change-flag{fill:#ff8a3d}\n"                                    \
	"}\n"

#endif
