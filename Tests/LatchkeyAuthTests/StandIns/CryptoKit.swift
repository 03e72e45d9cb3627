@_exported import Foundation

public enum P256 {
    public enum Signing {
        public struct PrivateKey: Sendable {
            public init() {}
            public var publicKey: PublicKey { PublicKey() }
            public func signature(for data: some DataProtocol) throws -> ECDSASignature { ECDSASignature() }
        }

        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
        }

        public struct ECDSASignature: Sendable {
            public var derRepresentation: Data { Data() }
        }
    }
}

/// The name is that of a type of the client library too.
public struct SHA256: Sendable {}
