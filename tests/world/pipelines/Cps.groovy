// A script and the shared library in Jenkins' own engine, groovy-cps:
//   groovy Cps.groovy SCRIPT LIBRARY_FOLDER [NAME=VALUE…]
//
// At every step the suspended program is written by Java's serialization, dropped, read again and
// resumed: that is what Jenkins does when it restarts. What cannot be written stops the run.

import com.cloudbees.groovy.cps.Continuable
import com.cloudbees.groovy.cps.CpsTransformer
import com.cloudbees.groovy.cps.Outcome
import com.cloudbees.groovy.cps.SerializableScript
import org.codehaus.groovy.control.CompilerConfiguration
import org.codehaus.groovy.runtime.InvokerHelper

class Failed extends Exception { Failed(String message) { super(message) } }

abstract class Pipeline extends SerializableScript {
  static final Set STEPS = ['sh', 'echo', 'error', 'fileExists', 'readFile'] as Set
  static Map<String, Class> library = [:]
  static Binding shared

  Object invokeMethod(String name, Object given) {
    if (name in STEPS) { return Continuable.suspend([name, given as List]) }
    if (name in library && name != this.class.simpleName) {
      return InvokerHelper.createScript(library[name], shared).invokeMethod('call', given)
    }
    getMetaClass().invokeMethod(this, name, given)
  }
}

class Agent {
  final File folder = new File('.').canonicalFile
  final Map env
  Agent(Map env) { this.env = env }

  def sh(given) {
    Map asked = given instanceof Map ? given : [script: given]
    // As Jenkins does: the script is a file, and the shell stops at the first failure.
    File file = File.createTempFile('script', '.sh'); file.text = asked.script
    def made = new ProcessBuilder('sh', '-xe', file.path).directory(folder)
    made.environment().clear(); env.each { name, value -> made.environment()[name] = value.toString() }
    made.redirectError(ProcessBuilder.Redirect.INHERIT)
    def running = made.start(); running.outputStream.close()
    String out = running.inputStream.getText('UTF-8')
    int code = running.waitFor(); file.delete()
    if (!asked.returnStdout) { print out }
    if (asked.returnStatus) { return code }
    if (code) { throw new Failed("script returned exit code ${code}") }
    asked.returnStdout ? out : null
  }
  def echo(text) { println "[echo] ${text}" }
  def error(text) { throw new Failed(text.toString()) }
  def fileExists(path) { new File(folder, path.toString()).exists() }
  def readFile(Map asked) { new File(folder, asked.file).getText(asked.encoding) }
}

def env = new TreeMap(System.getenv())
args.drop(2).each { def (name, value) = it.split('=', 2); env[name] = value }
def settings = new CompilerConfiguration(scriptBaseClass: Pipeline.name)
settings.addCompilationCustomizers(new CpsTransformer())
Pipeline.shared = new Binding(env: env)
def shell = new GroovyShell(new GroovyClassLoader(this.class.classLoader, settings), Pipeline.shared, settings)
new File(args[1]).listFiles().findAll { it.name.endsWith('.groovy') }.sort().each {
  Pipeline.library[it.name - '.groovy'] = shell.parse(it).class
}

int written = 0
def restarted = { Continuable program ->
  def bytes = new ByteArrayOutputStream()
  new ObjectOutputStream(bytes).withStream { it.writeObject(program) }
  written = Math.max(written, bytes.size())
  def input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
    @Override protected Class resolveClass(ObjectStreamClass found) {
      Class.forName(found.name, false, shell.classLoader)
    }
  }
  input.readObject()
}

def agent = new Agent(env), program = new Continuable(shell.parse(new File(args[0])))
def answer = new Outcome(null, null), used = [] as TreeSet
int steps = 0
while (true) {
  def asked = program.run0(answer)
  if (asked.abnormal != null) { println "ERROR: ${asked.abnormal.message}"; System.exit(1) }
  if (!program.resumable) { break }
  def (name, given) = asked.normal
  steps++; used << name
  try { program = restarted(program) }
  catch (NotSerializableException wrong) { println "NOT SERIALIZABLE at step ${name}: ${wrong.message}"; System.exit(2) }
  try { answer = new Outcome(agent.invokeMethod(name, given as Object[]), null) }
  catch (Failed wrong) { answer = new Outcome(null, wrong) }
}
println "Finished: ${steps} steps (${used.join(' ')}), a restart at each; at most ${written} bytes"
System.exit(0)
