/**
 * Runs `lumos snap sync`, where the installed lumos has that command; else the build stops and says so.
 *
 * configPath  where the tree's lumos.yaml is
 * sources     further words of the command, as its own help lists them
 *
 * Returns success. Nothing else is known of what a catalog answered: it stands in the build's log.
 */
Map call(Map given = [:]) {
    Map asked = lumosOptions('lumosSync', given, [configPath: 'lumos.yaml', sources: []])
    String tree = lumosTree(asked.configPath)
    if (sh(label: 'Is there a sync?', script: 'lumos snap sync --help > /dev/null 2>&1', returnStatus: true) != 0) {
        error('lumosSync: the lumos that is installed here has no command `lumos snap sync`')
    }
    int code = sh(
        label: 'Sync',
        script: 'lumos snap sync --tree' + lumosArguments([tree]) + lumosArguments(asked.sources),
        returnStatus: true
    )
    return [
        success: code == 0, count: 0, changesDetected: false,
        cloudVersion: '', schemaVersion: '', gitTag: '',
    ]
}
