import NotifierService
import ServiceRuntime

await NotifierProgram.program.main()
