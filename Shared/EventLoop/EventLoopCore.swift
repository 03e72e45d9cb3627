import Glibc

/// What runs the tasks and serves the sources of an `EventLoop`: a thread, or the scheduler of a simulation.
package protocol EventLoopCore: AnyObject, Sendable {
    /// The loop of this core. It keeps the core alive, and not the other way round.
    var loop: EventLoop? { get }

    /// Called once, before everything else.
    func register(_ loop: EventLoop)

    /// Runs a job of a task, after those that were enqueued before it.
    func enqueue(_ job: UnownedJob)

    func attach(_ start: EventSourceStart)

    /// The signal of a source was raised.
    func wake()

    /// The loop was released: the core ends once it has no source and no job left.
    func close()

    /// Suspends the calling task as `Sleepers` says. Called by code that runs on this core.
    /// - Throws: `CancellationError`.
    func sleep(forAbout duration: Duration) async throws

    /// A random number of a simulation; nil: those of the system, which cannot be guessed.
    func randomNumber() -> UInt64?
}

extension EventLoopCore {
    package func randomNumber() -> UInt64? { nil }
}

/// A source that a loop does not serve yet.
package struct EventSourceStart: Sendable {
    package var signal: SourceSignal
    /// Creates the source, where the loop uses it.
    package var make: @Sendable () throws -> any EventSource
    /// Called when the source has finished and was released, with its error or that of `make`.
    package var ended: @Sendable ((any Error)?) -> Void

    package init(
        signal: SourceSignal,
        make: @Sendable @escaping () throws -> any EventSource, ended: @Sendable @escaping ((any Error)?) -> Void
    ) {
        self.signal = signal
        self.make = make
        self.ended = ended
    }
}

/// The core whose jobs and sources the calling thread runs.
package enum CurrentEventLoopCore {
    private final class Box {
        let core: any EventLoopCore

        init(_ core: any EventLoopCore) {
            self.core = core
        }
    }

    private static let marker: pthread_key_t = {
        var key = pthread_key_t()
        // Without a key every thread counts as another one, which is slower and safe.
        return pthread_key_create(&key, nil) == 0 ? key : .max
    }()

    /// Whether the calling thread runs a core.
    static var isSet: Bool { pthread_getspecific(marker) != nil }

    static var value: (any EventLoopCore)? {
        pthread_getspecific(marker).map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().core }
    }

    /// Runs `body` as a part of `core`.
    package static func withValue<R>(_ core: any EventLoopCore, _ body: () throws -> R) rethrows -> R {
        let previous = pthread_getspecific(marker)
        defer { pthread_setspecific(marker, previous) }
        let box = Box(core)
        return try withExtendedLifetime(box) {
            pthread_setspecific(marker, Unmanaged.passUnretained(box).toOpaque())
            return try body()
        }
    }
}
