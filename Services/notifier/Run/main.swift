import NotifierService

await NotifierProgram.run()
