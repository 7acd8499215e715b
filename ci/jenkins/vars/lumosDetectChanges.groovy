/**
 * Says what differs from a base, what it breaks, and whether it may pass; writes reports.
 *
 *   Map found = lumosDetectChanges(base: 'origin/main')
 *   if (!found.success) { error('the gate is red') }
 *
 * configPath     where the tree's lumos.yaml is
 * sources        names of sources in lumos.yaml, or folders, to scan first; nothing is scanned without
 * base           branch, tag or commit to compare with; a branch `origin/x` is fetched if it is missing
 * failOn         breaking, non-breaking or none; left out: as lumos.yaml says
 * reports        formats to write beside the text, each to reports folder/diff.<format>
 * reportsFolder  where reports go
 *
 * Returns success (whether the gate is green), count (datasets that differ), changesDetected, breaking
 * (silent ones included), bump, reports (paths by format), and cloudVersion, schemaVersion and gitTag,
 * which are empty: versions are given by lumosVersionUpdate. What cannot be decided stops the build.
 */
Map call(Map given = [:]) {
    Map asked = lumosOptions('lumosDetectChanges', given, [
        configPath: 'lumos.yaml', sources: [], base: 'HEAD', failOn: '',
        reports: ['json', 'junit', 'html'], reportsFolder: 'lumos-reports',
    ])
    String tree = lumosTree(asked.configPath)
    String at = ' --tree' + lumosArguments([tree])
    if (asked.sources) {
        sh(label: 'Scan', script: 'lumos snap scan' + at + ' --' + lumosArguments(asked.sources))
    }
    fetchBase(asked.base)
    String folder = asked.reportsFolder
    sh(label: 'Folder of reports', script: 'mkdir -p --' + lumosArguments([folder]))
    Map reports = [:]
    String outputs = lumosArguments(['--output', 'text', '--output', "env=${folder}/diff.env"])
    for (int i = 0; i < asked.reports.size(); i++) {
        String format = asked.reports[i]
        reports[format] = "${folder}/diff.${format == 'junit' ? 'xml' : format}".toString()
        outputs += lumosArguments(['--output', "${format}=${reports[format]}"])
    }
    String level = asked.failOn ? ' --fail-on' + lumosArguments([asked.failOn]) : ''
    String command = 'lumos snap diff' + at + ' --base' + lumosArguments([asked.base]) + level + outputs
    int code = sh(label: 'Detect changes', script: command, returnStatus: true)
    if (code != 0 && code != 1) {
        error("lumosDetectChanges: lumos cannot decide (exit ${code}): see the lines above")
    }
    Map found = lumosLines(readFile(file: "${folder}/diff.env".toString(), encoding: 'UTF-8'))
    return [
        success: code == 0,
        count: found.count.toInteger(),
        changesDetected: found.changesDetected == 'true',
        breaking: found.breaking.toInteger() + found.silent.toInteger(),
        bump: found.bump,
        reports: reports,
        cloudVersion: '', schemaVersion: '', gitTag: '',
    ]
}

/** Jenkins fetches what it builds, and often not what that is compared with. */
void fetchBase(String base) {
    if (base.startsWith('origin/')) {
        String branch = base.substring('origin/'.length())
        String known = 'git rev-parse --quiet --verify' + lumosArguments(["refs/remotes/${base}^{commit}"])
        String refs = lumosArguments(["+refs/heads/${branch}:refs/remotes/${base}"])
        sh(label: 'Base', script: known + ' > /dev/null || git fetch --no-tags origin' + refs)
    }
}
