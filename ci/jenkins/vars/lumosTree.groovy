/** The folder of the tree whose settings are at `configPath`. */
String call(String configPath) {
    if (!configPath.endsWith('lumos.yaml')) {
        error("configPath: ${configPath} is no lumos.yaml")
    }
    if (!fileExists(configPath)) {
        error("configPath: there is no ${configPath} in the workspace")
    }
    int at = configPath.lastIndexOf('/')
    return at < 0 ? '.' : configPath.substring(0, at)
}
