/** What a step was given, over its defaults; a name that it does not know stops the build. */
Map call(String step, Map given, Map defaults) {
    String unknown = ''
    for (name in given.keySet()) {
        unknown = defaults.containsKey(name) ? unknown : name
    }
    // Said after the loop: Jenkins cannot keep an iterator while a step runs.
    if (unknown) {
        error("${step}: there is no parameter `${unknown}`; it takes ${defaults.keySet().join(', ')}")
    }
    return defaults + given
}
