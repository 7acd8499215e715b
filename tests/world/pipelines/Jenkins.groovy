// A declarative pipeline, run: groovy Jenkins.groovy JENKINSFILE VARS_FOLDER [PARAMETER=VALUE…]
//
// Stages, `when`, `post`, parameters and the shared library's steps behave as in Jenkins; `sh` is a
// real shell in the current folder. A step that Jenkins has only with further plugins does not exist
// here, and a method that its sandbox does not let through by default stops the run.

import org.codehaus.groovy.ast.ClassCodeVisitorSupport
import org.codehaus.groovy.ast.expr.ConstructorCallExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.classgen.GeneratorContext
import org.codehaus.groovy.control.CompilePhase
import org.codehaus.groovy.control.CompilerConfiguration
import org.codehaus.groovy.control.SourceUnit
import org.codehaus.groovy.control.customizers.CompilationCustomizer

class Failed extends RuntimeException { Failed(String says) { super(says) } }

/** What sandboxed code may call beside steps: methods of texts, lists and maps. */
class Sandbox extends CompilationCustomizer {
  static final ALLOWED = [
    'call', 'tokenize', 'indexOf', 'lastIndexOf', 'substring', 'startsWith', 'endsWith', 'replace', 'trim',
    'length', 'size', 'keySet', 'containsKey', 'join', 'toInteger', 'toString'] as Set
  final Set steps
  Sandbox(Set steps) { super(CompilePhase.CONVERSION); this.steps = steps }
  void call(SourceUnit source, GeneratorContext context, org.codehaus.groovy.ast.ClassNode node) {
    def own = node.methods*.name as Set
    def check = { String name -> if (!(name in ALLOWED || name in steps || name in own)) throw new Failed("sandbox: ${source.name}: ${name}") }
    def visitor = new ClassCodeVisitorSupport() {
      protected SourceUnit getSourceUnit() { source }
      void visitMethodCallExpression(MethodCallExpression call) { check(call.methodAsString ?: '(computed)'); super.visitMethodCallExpression(call) }
      void visitConstructorCallExpression(ConstructorCallExpression call) { if (!call.specialCall) check('new ' + call.type.name); super.visitConstructorCallExpression(call) }
    }
    // What Groovy itself adds to a script, as `main`, is not of its writer's making.
    node.methods.findAll { it.name != 'main' }.each { visitor.visitMethod(it) }
  }
}

class Build {
  Map env = new TreeMap(System.getenv()); Map params = [:]; String result = 'SUCCESS'
  Map<String, Script> library = [:]; Closure load
  File folder = new File('.').canonicalFile

  static final STEPS = [
    'library', 'pipeline', 'agent', 'options', 'parameters', 'environment', 'stages', 'stage', 'steps', 'script', 'when',
    'post', 'always', 'changeRequest', 'expression', 'disableConcurrentBuilds', 'timeout', 'string', 'booleanParam',
    'sh', 'echo', 'error', 'fileExists', 'readFile', 'archiveArtifacts', 'junit'] as Set

  def library(String name) { load(name) }
  def sh(String script) { sh(script: script) }
  def sh(Map asked) {
    // As Jenkins does: the script is a file, and the shell stops at the first failure.
    File file = File.createTempFile('script', '.sh'); file.text = asked.script
    def made = new ProcessBuilder('sh', '-xe', file.path).directory(folder)
    made.environment().clear(); env.each { k, v -> made.environment()[k.toString()] = v.toString() }
    def running = made.start(); running.outputStream.close()
    def errors = Thread.start { running.errorStream.eachLine('UTF-8') { println "  ${it}" } }
    String out = asked.returnStdout ? running.inputStream.getText('UTF-8') : ''
    if (!asked.returnStdout) running.inputStream.eachLine('UTF-8') { println "  ${it}" }
    errors.join(); int code = running.waitFor(); file.delete()
    if (asked.returnStatus) return code
    if (code) throw new Failed("script returned exit code ${code}")
    asked.returnStdout ? out : null
  }
  def echo(Object says) { println "[echo] ${says}" }
  def error(Object says) { throw new Failed(says.toString()) }
  def fileExists(String path) { new File(folder, path).exists() }
  def readFile(Map asked) { new File(folder, asked.file).getText(asked.encoding ?: 'UTF-8') }
  def archiveArtifacts(Map asked) {
    def found = matching(asked.artifacts)
    if (!found && !asked.allowEmptyArchive) throw new Failed("No artifacts found that match ${asked.artifacts}")
    println "[archived] ${found*.name.sort().join(' ')}"
  }
  def junit(Map asked) {
    def found = matching(asked.testResults)
    if (!found && !asked.allowEmptyResults) throw new Failed('No test report files were found')
    def factory = javax.xml.parsers.DocumentBuilderFactory.newInstance()
    println "[junit] ${found.sum(0) { factory.newDocumentBuilder().parse(it).getElementsByTagName('testcase').length }}"
  }
  List<File> matching(String glob) {
    def parts = new File(folder, glob); def form = parts.name.replace('.', '\\.').replace('*', '.*')
    (parts.parentFile.listFiles() ?: []).findAll { it.name ==~ form }
  }

  def missing(String name, List given) {
    if (name in library) return library[name].invokeMethod('call', given as Object[])
    if (STEPS.contains(name) || name == 'matching') return this.invokeMethod(name, given as Object[])
    throw new Failed("No such DSL method '${name}' found among steps")
  }
}

abstract class Pipeline extends Script {
  Build getBuild() { binding.getVariable('build') }
  def methodMissing(String name, Object given) { build.missing(name, given as List) }
  def propertyMissing(String name) {
    if (name in ['env', 'params']) return build[name]
    if (name in ['any', 'none']) return name
    if (name in build.env) return build.env[name]
    throw new MissingPropertyException(name, this.class)
  }
  void pipeline(Closure body) { new Stages(build).run(body) }
}

class Block {
  final Build build
  Block(Build build) { this.build = build }
  def run(Closure body) { body.delegate = this; body.resolveStrategy = Closure.DELEGATE_FIRST; body.call() }
  def methodMissing(String name, Object given) { build.missing(name, given as List) }
  def propertyMissing(String name) { name in ['env', 'params'] ? build[name] : build.env[name] }
  def script(Closure body) { run(body) }
}
class Settings extends Block {
  Settings(Build build) { super(build) }
  void setProperty(String name, Object value) { build.env[name] = value.toString() }
}
class Parameters extends Block {
  Parameters(Build build) { super(build) }
  def string(Map one) { build.params.putIfAbsent(one.name, one.defaultValue) }
  def booleanParam(Map one) { build.params.putIfAbsent(one.name, one.defaultValue) }
}
class Options extends Block {
  Options(Build build) { super(build) }
  def timeout(Map given) {}
  def disableConcurrentBuilds() {}
}
class When extends Block {
  boolean holds = true
  When(Build build) { super(build) }
  def changeRequest() { holds &= 'CHANGE_ID' in build.env }
  def expression(Closure body) { holds &= run(body) as boolean }
}
class Post extends Block { Post(Build build) { super(build) }; def always(Closure body) { run(body) } }

class Stages extends Block {
  Stages(Build build) { super(build) }
  def agent(Object kind) {}
  def options(Closure body) { new Options(build).run(body) }
  def parameters(Closure body) { new Parameters(build).run(body) }
  def environment(Closure body) { new Settings(build).run(body) }
  def stages(Closure body) { run(body) }
  def stage(String name, Closure body) {
    if (build.result != 'SUCCESS') { println "[skipped] ${name}: a stage before it failed"; return }
    def one = new Stage(build); one.run(body)
    if (!one.wanted) { println "[skipped] ${name}"; return }
    println "[stage] ${name}"
    try { one.work?.call() } catch (Failed | MissingPropertyException | MissingMethodException wrong) { println "ERROR: ${wrong.message}"; build.result = 'FAILURE' }
    if (one.after) new Post(build).run(one.after)
  }
}
class Stage extends Block {
  boolean wanted = true; Closure work; Closure after
  Stage(Build build) { super(build) }
  def when(Closure body) { def asked = new When(build); asked.run(body); wanted = asked.holds }
  def steps(Closure body) { work = { new Block(build).run(body) } }
  def post(Closure body) { after = body }
}

def build = new Build()
args.drop(2).each { def (name, value) = it.split('=', 2); build.params[name] = value }
def names = new File(args[1]).listFiles().findAll { it.name.endsWith('.groovy') }
def compiler = new CompilerConfiguration(scriptBaseClass: 'Pipeline')
compiler.addCompilationCustomizers(new Sandbox(Build.STEPS + names*.name*.minus('.groovy')))
def shell = new GroovyShell(this.class.classLoader, new Binding([build: build]), compiler)
build.env['WORKSPACE'] = build.folder.path
build.load = { String name -> names.each { build.library[it.name - '.groovy'] = shell.parse(it) } }
try { shell.evaluate(new File(args[0])) } catch (Failed wrong) { println "ERROR: ${wrong.message}"; build.result = 'FAILURE' }
println "Finished: ${build.result}"
System.exit(build.result == 'SUCCESS' ? 0 : 1)
