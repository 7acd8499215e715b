/** Runs a sync: 0 and 1 are answers, and anything else stops the build. */
int call(String label, String script) {
    int code = sh(label: label, script: script, returnStatus: true)
    if (code > 1) {
        error('lumosSync: the sync could not be carried out; the lines above say why')
    }
    return code
}
