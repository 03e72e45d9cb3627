@_exported import Observation
@_exported import UIKit

// MARK: - Views

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

/// A view whose content is none of ours. The `return` keeps the builder away.
public protocol Leaf: View {}

extension Leaf {
    public var body: AnyContent { return AnyContent() }
}

public struct AnyContent: Leaf {}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> AnyContent { AnyContent() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildOptional(_ content: AnyContent?) -> AnyContent { AnyContent() }
    public static func buildEither(first content: AnyContent) -> AnyContent { AnyContent() }
    public static func buildEither(second content: AnyContent) -> AnyContent { AnyContent() }
}

public struct Text: Leaf {
    public init(_ text: some StringProtocol) {}
}

public struct Button: Leaf {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct TextField: Leaf {
    public init(_ title: some StringProtocol, text: Binding<String>) {}
}

public struct SecureField: Leaf {
    public init(_ title: some StringProtocol, text: Binding<String>) {}
}

public struct Form: Leaf {
    public init(@ViewBuilder content: () -> some View) {}
}

public struct Section: Leaf {
    public init(@ViewBuilder content: () -> some View) {}
}

public struct NavigationStack: Leaf {
    public init(@ViewBuilder root: () -> some View) {}
}

public struct UITextContentType: Sendable {
    public static let username = UITextContentType()
    public static let password = UITextContentType()
    public static let oneTimeCode = UITextContentType()
}

extension View {
    public func textContentType(_ type: UITextContentType?) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func navigationTitle(_ title: some StringProtocol) -> some View { self }
    public func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> some View { self }
    public func onOpenURL(perform action: @escaping @MainActor (URL) -> Void) -> some View { self }
}

// MARK: - State

@propertyWrapper public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}

@propertyWrapper public struct State<Value> {
    private final class Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let box: Box

    public init(wrappedValue: Value) { box = Box(wrappedValue) }
    public init(initialValue: Value) { box = Box(initialValue) }

    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        Binding(get: { box.value }, set: { box.value = $0 })
    }
}

// MARK: - Applications

@MainActor public protocol Scene {}

@MainActor public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

extension App {
    public static func main() { _ = Self.init().body }
}

public struct WindowGroup: Scene {
    public init(@ViewBuilder content: () -> some View) {}
}
