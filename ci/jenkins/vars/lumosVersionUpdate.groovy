/**
 * Gives new versions to all datasets that changed since the last release; commits, tags and pushes.
 *
 *   Map done = lumosVersionUpdate(tagPrefix: 'metadata/')
 *   echo "${done.cloudVersion}: ${done.count} datasets"
 *
 * configPath     where the tree's lumos.yaml is
 * autoIncrement  false: say what would be released, and write nothing
 * createGitTag   whether to tag the release
 * push           whether to push its commit and its tag, together; nothing is ever forced
 * tagPrefix      what tags must begin with: `versions.tag_prefix` of lumos.yaml says it, and another
 *                one here stops the build before anything is written
 * branch         the branch to release, where Jenkins has checked out a commit
 * message        the first line of the commit and the tag
 *
 * Returns success, changesDetected, count, cloudVersion, schemaVersion (that of the dataset with the
 * highest step), schemaVersions (each dataset's, with its urn and step), treeVersion (what lumos calls
 * the version of the whole tree), gitTag, bump and pushed. Safe to repeat: a second run does nothing.
 */
Map call(Map given = [:]) {
    Map asked = lumosOptions('lumosVersionUpdate', given, [
        configPath: 'lumos.yaml', autoIncrement: true, createGitTag: true, push: true,
        tagPrefix: null, branch: '', message: '',
    ])
    String bump = 'lumos snap bump --env --tree' + lumosArguments([lumosTree(asked.configPath)])
    if (asked.branch) {
        sh(label: 'Branch', script: 'git checkout --quiet -B' + lumosArguments([asked.branch]))
    }
    Map planned = lumosLines(sh(label: 'Plan', script: bump + ' --dry-run', returnStdout: true))
    if (asked.tagPrefix != null && planned.gitTag && !planned.gitTag.startsWith(asked.tagPrefix)) {
        error("lumosVersionUpdate: tagPrefix is ${asked.tagPrefix}, and the tag would be " +
            "${planned.gitTag}: say `versions.tag_prefix` in ${asked.configPath}")
    }
    if (!asked.autoIncrement) {
        return told(planned)
    }
    String words = asked.message ? ' --message' + lumosArguments([asked.message]) : ''
    String script = bump + words + flags(asked)
    return told(lumosLines(sh(label: 'Release', script: script, returnStdout: true)))
}

/** What lumos is asked to do; it pushes commit and tag together, or nothing. */
String flags(Map asked) {
    if (asked.push && !asked.createGitTag) {
        error('lumosVersionUpdate: a release is pushed together with its tag; say push: false as well')
    }
    if (asked.push) {
        return ' --push'
    }
    return asked.createGitTag ? ' --tag' : ' --commit'
}

/** The answer, from the lines that lumos prints. */
Map told(Map found) {
    List steps = ['none', 'patch', 'minor', 'major']
    List versions = []
    Map highest = null
    List lines = found.releasedAll ?: []
    for (int i = 0; i < lines.size(); i++) {
        // A step, a version and a urn; only the last one may hold spaces.
        String line = lines[i]
        int first = line.indexOf(' ')
        int second = line.indexOf(' ', first + 1)
        Map one = [
            bump: line.substring(0, first),
            schemaVersion: line.substring(first + 1, second),
            urn: line.substring(second + 1),
        ]
        versions = versions + [one]
        if (highest == null || steps.indexOf(one.bump) > steps.indexOf(highest.bump)) {
            highest = one
        }
    }
    return [
        success: true,
        changesDetected: found.changesDetected == 'true',
        count: found.count.toInteger(),
        cloudVersion: found.cloudVersion,
        schemaVersion: highest == null ? found.schemaVersion : highest.schemaVersion,
        schemaVersions: versions,
        treeVersion: found.schemaVersion,
        gitTag: found.gitTag,
        bump: found.bump,
        pushed: found.pushed == 'true',
    ]
}
