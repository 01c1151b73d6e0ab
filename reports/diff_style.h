/* SPDX-License-Identifier: MIT
 * diff_style.h -- the looks of pictures of a diff; light by itself, dark on screens that ask for it.
 *
 * Base is blue, new is orange; what grew is red, what shrank is blue, in four strengths.
 */
#ifndef REPORTS_DIFF_STYLE_H
#define REPORTS_DIFF_STYLE_H

#define DIFF_PICTURE_STYLE                                                                       \
	".picture{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;" \
	"font-variant-numeric:tabular-nums}\n"                                                   \
	".paper{fill:#ffffff}.plot{fill:#fafbfc}text{fill:#1f2328}\n"                            \
	".small{font-size:11px}.muted{fill:#59636e;font-size:11px}\n"                            \
	".headline{font-size:17px;font-weight:600}.part{font-size:13px;font-weight:600}\n"       \
	".grid{stroke:#d8dee4;stroke-width:1}\n"                                                 \
	".frame{stroke:#8c959f;stroke-width:1;fill:none}\n"                                      \
	".base-area{fill:#0072b2;fill-opacity:.28}.new-area{fill:#d55e00;fill-opacity:.28}\n"    \
	".base-edge,.new-edge{fill:none;stroke-width:1.5;stroke-linejoin:round}\n"               \
	".base-edge{stroke:#0072b2}.new-edge{stroke:#d55e00}\n"                                  \
	".base-dot{fill:#ffffff;stroke:#0072b2;stroke-width:2}\n"                                \
	".new-dot{fill:#ffffff;stroke:#d55e00;stroke-width:2}\n"                                 \
	".box rect{stroke:#ffffff;stroke-width:.6}.box text{font-size:11px;pointer-events:none;" \
	"unicode-bidi:isolate;fill:#1f2328}\n"                                                   \
	".same{fill:#dfe3e8}\n"                                                                  \
	".grew-1{fill:#fbd9d0}.grew-2{fill:#f5a68f}.grew-3{fill:#ea7253}.grew-4{fill:#d8431f}\n" \
	".shrank-1{fill:#d5e5f3}.shrank-2{fill:#9cc4e4}.shrank-3{fill:#619fd0}\n"                \
	".shrank-4{fill:#2f7ab8}\n"                                                              \
	".box .on-dark{fill:#ffffff}\n"                                                          \
	"@media screen and (prefers-color-scheme:dark){\n"                                       \
	".paper{fill:#16181d}.plot{fill:#1b1e24}text{fill:#e6e9ee}.muted{fill:#a0a8b4}\n"        \
	".grid{stroke:#2e333c}.frame{stroke:#6b7380}\n"                                          \
	".base-edge{stroke:#56b4e9}.new-edge{stroke:#ff8a3d}\n"                                  \
	".base-area{fill:#56b4e9}.new-area{fill:#ff8a3d}\n"                                      \
	".base-dot{fill:#16181d;stroke:#56b4e9}.new-dot{fill:#16181d;stroke:#ff8a3d}\n"          \
	".box rect{stroke:#16181d}.same{fill:#8c959f}\n"                                         \
	"}\n"

#endif
