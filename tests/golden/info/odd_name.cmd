"$VRAMSCOPE" info "$(printf 'a\nb\033[31m')"
