import Blocking
import Glibc
import Synchronization

/// One thread that waits for descriptors, serves their owners, and runs tasks between the waits. So a request is read,
/// handled and answered without a change of threads.
///
/// Its tasks are those that are created with it as their executor preference, and their child tasks. They must not
/// block, as tasks of Swift's pool must not: the sources of the loop would wait too.
///
/// The thread ends when the last reference is released and the last source has finished. A task keeps its loop alive.
package final class EventLoop: TaskExecutor {
    private let core: any EventLoopCore

    /// Creates the loop and its thread.
    /// - Parameter label: the name of the thread; `top -H` shows 15 bytes of it.
    /// - Throws: `EventLoopError` when the process has no free file descriptor.
    package init(label: String) throws(EventLoopError) {
        let thread = try EventLoopThread()
        core = thread
        thread.register(self)
        let executor = asUnownedTaskExecutor()
        DedicatedThread.start(label: label) { thread.run(as: executor) }
    }

    /// A loop without a thread of its own.
    package init(core: any EventLoopCore) {
        self.core = core
        core.register(self)
    }

    deinit {
        core.close()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        core.enqueue(UnownedJob(job))
    }

    /// The signal of a source that this loop will serve.
    package func makeSignal() -> SourceSignal {
        SourceSignal { [weak core] in core?.wake() }
    }

    /// Serves a source from now on.
    /// - Parameters:
    ///   - signal: gives it a turn. It has no other source.
    ///   - make: creates the source, on the thread of the loop.
    ///   - ended: called when the source has finished and was released, with its error or that of `make`.
    package func attach(
        _ signal: SourceSignal, _ make: @Sendable @escaping () throws -> any EventSource,
        ended: @Sendable @escaping ((any Error)?) -> Void
    ) {
        core.attach(.init(signal: signal, make: make, ended: ended))
    }

    /// Serves a source and returns when it has finished and was released.
    /// - Throws: the error of the source or of `make`.
    package func serve(
        _ signal: SourceSignal, _ make: @Sendable @escaping () throws -> any EventSource
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            attach(signal, make) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// The loop whose thread runs the calling code. Nil on other threads.
    package static var current: EventLoop? { CurrentEventLoopCore.value?.loop }

    /// Whether the calling code runs on the thread of an event loop.
    package static var isCurrentThread: Bool { CurrentEventLoopCore.isSet }
}
