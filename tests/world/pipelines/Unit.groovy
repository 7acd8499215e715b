// A declarative Jenkinsfile in JenkinsPipelineUnit, with a real `sh`; prints the stack of calls:
//   groovy Unit.groovy JENKINSFILE LIBRARY_FOLDER [NAME=VALUE…]
//
// JenkinsPipelineUnit 1.1 knows scripted pipelines and shared libraries; the sections of declarative
// ones are registered here. A step that is not registered stops the run.

import com.lesfurets.jenkins.unit.BasePipelineTest
import static com.lesfurets.jenkins.unit.global.lib.LibraryConfiguration.library
import com.lesfurets.jenkins.unit.global.lib.SourceRetriever

class Declarative extends BasePipelineTest {
  final File folder = new File('.').canonicalFile
  final Map env = new TreeMap(System.getenv()), params = [:]
  Throwable failed
  boolean wanted = true

  void prepare(File shared, Map given) {
    env.putAll(given); env.WORKSPACE = folder.path
    scriptRoots = ['/'] as String[]
    setUp()
    def here = { name, version, target -> [shared.toURI().toURL()] } as SourceRetriever
    helper.registerSharedLibrary(library().name('lumos-snap').defaultVersion('here').implicit(true)
      .allowOverride(true).targetPath(System.getProperty('java.io.tmpdir')).retriever(here).build())
    env.each { name, value -> binding.setVariable(name, value) }
    [env: env, params: params, any: 'any'].each { name, value -> binding.setVariable(name, value) }
    registerSteps(); registerSections()
  }

  def sh(Map asked) {
    // The section `environment` assigns to variables of the script.
    def known = env + binding.variables.findAll { name, value -> name ==~ /[A-Z][A-Z_]+/ }
    def running = ['sh', '-ec', asked.script.toString()].execute(known.collect { name, value -> "${name}=${value}" }, folder)
    def out = new StringBuffer()
    running.waitForProcessOutput(out, System.err)
    int code = running.exitValue()
    if (!asked.returnStdout) { print out }
    if (asked.returnStatus) { return code }
    if (code) { throw new RuntimeException("script returned exit code ${code}") }
    asked.returnStdout ? out.toString() : null
  }

  void registerSteps() {
    helper.registerAllowedMethod('library', [String]) { null }
    helper.registerAllowedMethod('sh', [Map]) { Map asked -> sh(asked) }
    helper.registerAllowedMethod('sh', [String]) { String script -> sh(script: script) }
    helper.registerAllowedMethod('echo', [String]) { println "[echo] ${it}" }
    helper.registerAllowedMethod('error', [String]) { throw new RuntimeException(it) }
    helper.registerAllowedMethod('fileExists', [String]) { new File(folder, it).exists() }
    helper.registerAllowedMethod('readFile', [Map]) { Map asked -> new File(folder, asked.file).getText(asked.encoding) }
    helper.registerAllowedMethod('archiveArtifacts', [Map]) { null }
    helper.registerAllowedMethod('junit', [Map]) { null }
  }

  void registerSections() {
    for (name in ['pipeline', 'options', 'parameters', 'environment', 'stages', 'script', 'always']) {
      helper.registerAllowedMethod(name, [Closure]) { Closure inside -> inside() }
    }
    helper.registerAllowedMethod('agent', [String]) { null }
    helper.registerAllowedMethod('disableConcurrentBuilds', []) { null }
    helper.registerAllowedMethod('timeout', [Map]) { null }
    helper.registerAllowedMethod('string', [Map]) { params.putIfAbsent(it.name, env[it.name] ?: it.defaultValue) }
    helper.registerAllowedMethod('stage', [String, Closure]) { String name, Closure inside ->
      wanted = failed == null
      inside()
      println "[stage] ${name}: ${wanted ? (failed ? 'failed' : 'done') : 'skipped'}"
    }
    helper.registerAllowedMethod('when', [Closure]) { Closure inside -> wanted = wanted && inside() }
    helper.registerAllowedMethod('changeRequest', []) { env.CHANGE_ID != null }
    helper.registerAllowedMethod('expression', [Closure]) { Closure inside -> inside() as boolean }
    helper.registerAllowedMethod('steps', [Closure]) { Closure inside ->
      if (wanted) { try { inside() } catch (RuntimeException wrong) { failed = wrong; println "ERROR: ${wrong.message}" } }
    }
    helper.registerAllowedMethod('post', [Closure]) { Closure inside -> if (wanted) { inside() } }
  }
}

def test = new Declarative()
test.prepare(new File(args[1]).canonicalFile, args.drop(2).collectEntries { it.split('=', 2) as List })
test.runScript(new File(args[0]).canonicalPath)
test.printCallStack()
System.exit(test.failed ? 1 : 0)
