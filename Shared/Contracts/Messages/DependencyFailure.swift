/// A failure of a dependency of a service, for example of its database. It does not depend on the request, so the bus
/// maps it the same way for every operation, and services do not.
package protocol DependencyFailure: Error {
    /// The error for the caller, without the cause. Nil for a failure that will last: it leaves as `internal`.
    var serviceError: ServiceError? { get }
    /// The cause, for the log, without data values.
    var reason: String { get }
}
