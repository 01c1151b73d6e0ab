for c in $("$VRAMSCOPE" completion words); do
	"$VRAMSCOPE" help "$c" | awk -v c="$c" "NR == 1 { print } length > 100 { print c \": too wide: \" \$0 }"
done
