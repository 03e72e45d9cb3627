import Launcher

await LatchkeyCommand.main()
