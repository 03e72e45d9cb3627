import MeshSimulation

SimulationMain.main()
