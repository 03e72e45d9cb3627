internal import Glibc

/// A thread for a call that waits during the whole lifetime of the process.
package enum DetachedThread {
    package static func start(_ body: @escaping @Sendable () -> Void) {
        // The box is retained here and released by the thread.
        let box = Unmanaged.passRetained(Box(body: body))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                // Never nil: it is the pointer passed to pthread_create below.
                Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        precondition(failure == 0, "no thread to wait for signals: error \(failure)")
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
