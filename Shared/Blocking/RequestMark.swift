/// Identifies the request that the running code handles: 128 bits, defined by the caller that sets them.
///
/// It follows the tasks of a request, and the jobs that they pass to dedicated threads. So a crashing process can
/// report its request (`CrashMark`).
package struct RequestMark: Equatable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil for work that does not belong to a request.
    @TaskLocal package static var current: RequestMark?
}
