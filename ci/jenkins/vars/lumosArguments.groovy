/** Texts as words of a shell command: a shell obeys nothing inside single quotes. */
String call(List words) {
    String found = ''
    for (int i = 0; i < words.size(); i++) {
        String quoted = words[i].toString().replace("'", "'\\''")
        found += " '" + quoted + "'"
    }
    return found
}
