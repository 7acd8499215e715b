/**
 * Brings catalogs in line with the tree: what differs is written, and what was confirmed is pushed.
 *
 * configPath  where the tree's lumos.yaml is
 * sources     names of catalogs in lumos.yaml; left out, the only one there
 *
 * Returns success, whether anything differed (changesDetected), and how many catalogs were synced
 * (count). A conflict that waits for a person is no success; a catalog that is out of reach stops
 * the build.
 */
Map call(Map given = [:]) {
    Map asked = lumosOptions('lumosSync', given, [configPath: 'lumos.yaml', sources: []])
    String tree = lumosTree(asked.configPath)
    List named = asked.sources ? asked.sources : ['']
    boolean success = true
    boolean differed = false
    for (int i = 0; i < named.size(); i++) {
        String words = ' --tree' + lumosArguments([tree]) + (named[i] ? ' --to' + lumosArguments([named[i]]) : '')
        int differs = lumosSyncRun('Does it differ?', 'lumos snap sync --check' + words)
        differed = differed || differs == 1
        success = lumosSyncRun('Sync', 'lumos snap sync --apply --yes' + words) == 0 && success
    }
    return [
        success: success, count: named.size(), changesDetected: differed,
        cloudVersion: '', schemaVersion: '', gitTag: '',
    ]
}
