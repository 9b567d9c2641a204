# Sourced by the tests of the trace page: `need node` and `need browser` skip the test, and say why,
# where these cannot be had; `make_page` puts the page together as viewer_page.html.
here=$TW_SOURCE_DIR/tests/viewer

skip() {
    echo "skipped: $*"
    exit 77
}

need() {
    case $1 in
    node) command -v node >/dev/null || skip "needs node (scripts/deps page installs it)" ;;
    browser)
        need node
        [ -d "$TW_SOURCE_DIR/build-node/node_modules/playwright-core" ] ||
            skip "needs playwright-core in build-node (scripts/deps page puts it there)"
        for browser in chromium chromium-browser google-chrome; do
            TW_BROWSER=$(command -v $browser) && break
        done
        [ -n "$TW_BROWSER" ] || skip "needs Chromium (scripts/deps page installs it)"
        export TW_BROWSER
        ;;
    esac
}

make_page() {
    "${CMAKE:-cmake}" -D "VIEWER=$TW_SOURCE_DIR/viewer" -D PAGE=viewer_page.html "$@" \
        -P "$TW_SOURCE_DIR/cmake/EmbedViewer.cmake"
}
