import Blocking
import Glibc
import Testing

private actor Ledger {
    private let executor = SerialQueueExecutor(label: "ledger")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var entries = 0
    private(set) var threads: Set<UInt> = []

    func enter() {
        entries += 1
        threads.insert(UInt(pthread_self()))
    }
}

struct SerialQueueExecutorTests {
    @Test func everyCallRunsOnOneThread() async {
        let ledger = Ledger()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 { group.addTask { await ledger.enter() } }
        }
        #expect(await ledger.entries == 1000)
        #expect(await ledger.threads.count == 1)
    }

    @Test func twoExecutorsHaveTwoThreads() async {
        let (one, other) = (Ledger(), Ledger())
        await one.enter()
        await other.enter()
        #expect(await one.threads.isDisjoint(with: other.threads))
    }

    @Test func threadDoesNotRetainExecutor() {
        weak var executor: SerialQueueExecutor?
        do {
            let owned = SerialQueueExecutor(label: "short-lived")
            executor = owned
        }
        #expect(executor == nil)
    }

    @Test func actorCanBeReleasedWhileItsJobsRun() async {
        for _ in 0..<200 {
            let ledger = Ledger()
            Task { await ledger.enter() }
        }
        let last = Ledger()
        await last.enter()
        #expect(await last.entries == 1)
    }
}
