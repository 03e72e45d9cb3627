package import Contracts

/// Work that has begun. It becomes a span when it ends.
package struct ActiveSpan: Sendable {
    /// The work that this task is a part of; nil if this process records no traces.
    @TaskLocal package static var current: ActiveSpan?

    /// What the requests of this work carry.
    package let context: TraceContext
    let parentID: String?
    let kind: Span.Kind
    let links: [TraceContext]
    let beganAt: SpanTime
    let recorder: SpanRecorder

    /// Begins a request to a server outside of the mesh, as a part of this work.
    package func beginRequest() -> ActiveSpan {
        recorder.begin(.client, parent: context)
    }

    /// Ends the work. It is recorded if its trace is.
    /// - Parameters:
    ///   - name: from a list of few names.
    ///   - attributes: evaluated only for a span that is recorded.
    ///   - error: the kind of error, if the work failed.
    package func end(
        _ name: String, _ attributes: @autoclosure () -> [Span.Attribute] = [], error: String? = nil
    ) {
        guard context.isSampled else { return }
        recorder.record(
            Span(
                context: context, parentID: parentID, kind: kind, name: name, beganAt: beganAt,
                duration: beganAt.steady.duration(to: recorder.time().steady), attributes: attributes(), links: links,
                error: error))
    }
}

extension TraceContext {
    /// The trace of the work that this task is a part of, or a new one.
    package static var current: TraceContext { ActiveSpan.current?.context ?? .random() }
}
