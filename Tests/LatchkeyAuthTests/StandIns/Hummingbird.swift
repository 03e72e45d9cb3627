@_exported import Foundation

public struct HTTPResponse: Sendable {
    public struct Status: Sendable {
        public static let created = Status()
        public static let unauthorized = Status()
        public static let forbidden = Status()
        public static let serviceUnavailable = Status()
    }
}

public struct HTTPError: Error {
    public init(_ status: HTTPResponse.Status) {}
}

public struct HTTPField: Sendable {
    public struct Name: Sendable {
        public static let authorization = Name()
    }
}

public struct HTTPFields: Sendable {
    public subscript(name: HTTPField.Name) -> String? { nil }
}

public struct Request: Sendable {
    public var headers: HTTPFields
}

public struct Response: Sendable {}

public protocol ResponseGenerator {}
extension String: ResponseGenerator {}
extension HTTPResponse.Status: ResponseGenerator {}

public struct ApplicationRequestContextSource: Sendable {}

public struct CoreRequestContextStorage: Sendable {
    public init(source: ApplicationRequestContextSource) {}
}

public protocol RequestContext {
    associatedtype Source
    var coreContext: CoreRequestContextStorage { get set }
    init(source: Source)
}

public protocol RouterMiddleware<Context>: Sendable {
    associatedtype Context
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response
}

public final class Router<Context: RequestContext> {
    public init(context: Context.Type) {}

    @discardableResult
    public func add(middleware: any RouterMiddleware<Context>) -> Self { self }

    @discardableResult
    public func get(
        _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
    ) -> Self { self }

    @discardableResult
    public func post(
        _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
    ) -> Self { self }
}

public struct Application {
    public init(router: Router<some RequestContext>) {}
    public func runService() async throws {}
}
