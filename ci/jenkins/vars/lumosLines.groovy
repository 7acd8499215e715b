/**
 * The key=value lines that lumos prints, as a map of texts; a key that is there several times
 * is a list of all its values under the same name with `All` behind it, and its last value.
 * Nothing here needs a plugin or an approval: texts are cut, and nothing is evaluated.
 */
Map call(String text) {
    Map found = [:]
    List lines = text.tokenize('\n')
    for (int i = 0; i < lines.size(); i++) {
        String line = lines[i]
        int at = line.indexOf('=')
        if (at > 0) {
            String key = line.substring(0, at)
            String value = line.substring(at + 1)
            found[key] = value
            List all = found[key + 'All'] ?: []
            found[key + 'All'] = all + [value]
        }
    }
    return found
}
