/// Which request the running code works for, as 128 bits that mean something to whoever set them.
///
/// It follows the tasks of a request, and the jobs they give to threads of ours, so that a process that crashes can say
/// which request it was (`CrashMark`).
package struct RequestMark: Equatable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil for work that nobody asked for.
    @TaskLocal package static var current: RequestMark?
}
