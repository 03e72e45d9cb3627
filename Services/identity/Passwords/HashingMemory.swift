import Crypto
import Synchronization

/// The memory of the threads that hash passwords: kept while passwords wait, and returned to the system with the last one.
final class HashingMemory: Sendable {
    /// At most one for each thread that hashes.
    private let unused = Mutex<[Argon2.Memory]>([])
    private let parameters: Argon2.Parameters

    /// - Parameter parameters: the memory suffices for them.
    init(for parameters: Argon2.Parameters) {
        self.parameters = parameters
    }

    /// Runs `body` with memory that no other thread uses meanwhile.
    /// - Parameter isKept: asked after `body`.
    func withMemory<Result>(
        keeping isKept: () -> Bool, _ body: (Argon2.Memory) throws -> Result
    ) throws -> Result {
        let memory = try unused.withLock { $0.popLast() } ?? Argon2.Memory(for: parameters)
        defer {
            let isKept = isKept()
            unused.withLock { unused in
                if isKept { unused.append(memory) } else { unused = [] }
            }
        }
        return try body(memory)
    }
}
