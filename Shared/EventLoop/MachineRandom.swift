import Vocabulary

/// The random numbers of the machine that the calling code runs on. They cannot be guessed, except in a simulation.
package struct MachineRandom: RandomNumberGenerator, Sendable {
    private var system = SystemRandom()

    package init() {}

    package mutating func next() -> UInt64 { CurrentEventLoopCore.value?.randomNumber() ?? system.next() }
}
