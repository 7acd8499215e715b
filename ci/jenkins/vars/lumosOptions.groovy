/** What a step was given, over its defaults; a name that it does not know stops the build. */
Map call(String step, Map given, Map defaults) {
    for (name in given.keySet()) {
        if (!defaults.containsKey(name)) {
            error("${step}: there is no parameter `${name}`; it takes ${defaults.keySet().join(', ')}")
        }
    }
    return defaults + given
}
