import Contracts
import Curl
import FoundationEssentials
import Vocabulary

@testable import HTTPClient
@testable import NotifierService
@testable import SMTPClient

/// What servers of others send, as libcurl and its callbacks read it.
extension FuzzTarget {
    private static let server = Result { try FixedServer() }

    /// The first byte chooses the request, and the rest is what the server sends.
    static func readHTTPResponse(_ input: [UInt8]) throws {
        let server = try server.get()
        server.set(input.dropFirst())
        let choice = Int(input.first ?? 0)
        let methods = [HTTPClientRequest.Method.get, .head, .post]
        let request = HTTPClientRequest(
            methods[choice % methods.count], "http://127.0.0.1:\(server.port)/", body: choice % 3 == 2 ? Data() : nil,
            version: choice / 3 % 2 == 0 ? .negotiated : .http2)
        var limits = HTTPClient.Limits()
        limits.totalTime = .seconds(15)
        (limits.bodyBytes, limits.headerBytes) = (512, 1024)
        let result = CurlHandlePool(closing: .immediate).withHandle { handle in
            Result { () throws(HTTPClientError) in
                try CurlTransfer(limits, .all).perform(request, .init(), on: handle)
            }
        }
        switch result {
        case .success(let response):
            try demand((100...999).contains(response.status), "a status has three digits")
            try demand(response.body.count <= limits.bodyBytes, "a body has its limit")
            try demand(request.method != .head || response.body.isEmpty, "a response to HEAD has no body")
            try demand(
                response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } <= limits.headerBytes * 3,
                "headers have their limit")
            try demand(
                response.headers.allSatisfy { !$0.name.contains(":") && !$0.value.utf8.contains(UInt8(ascii: "\n")) },
                "a header is one line")
        case .failure(let error):
            try demand(error != .timedOut, "a server that has ended is not awaited")
        }
    }

    /// The first byte chooses what is sent, and the rest is what the server sends.
    static func readSMTPReply(_ input: [UInt8]) throws {
        let server = try server.get()
        server.set(input.dropFirst())
        let choice = Int(input.first ?? 0)
        var settings = try SMTPServer("smtp://127.0.0.1:\(server.port)")
        if choice & 1 != 0 { (settings.user, settings.password) = ("user", Secret("password")) }
        if choice & 2 != 0 { settings.security = .startTLS }
        guard let sender = EmailAddress("sender@example.com"),
            let recipient = EmailAddress(choice & 4 != 0 ? "jürgen@example.com" : "ada@example.com")
        else { throw BrokenPromise(description: "an address is refused") }
        let message = SMTPMessage(
            id: "1", date: now, returnPath: sender, from: .init(name: "Sender", address: sender), recipient: recipient,
            subject: "Subject", language: "en", text: "Text", html: "<p>Text</p>")
        var limits = SMTPClient.Limits()
        limits.totalTime = .seconds(15)
        let stop = SMTPAbortFlag()
        let result = CurlHandlePool(closing: .immediate).withHandle { handle in
            Result { () throws(SMTPError) in
                if choice & 8 != 0 {
                    try SMTPTransfer.check(settings, limits, caFilePath: nil, on: handle, until: stop)
                } else {
                    try SMTPTransfer.send(message, to: settings, limits, caFilePath: nil, on: handle, until: stop)
                }
            }
        }
        let said = String(decoding: input.dropFirst(), as: UTF8.self)
        switch result {
        case .success:
            try demand(settings.security == .none, "nothing is sent without the required TLS")
            let isAccepted = said.contains("354") && said.contains("250")
            try demand(isAccepted || choice & 8 != 0, "a message is sent only if the server has taken it")
        case .failure(let error):
            if case .refused(_, let code) = error {
                try demand(said.contains(String(code)), "the code of a refusal is that of the server")
            }
            if case .timedOut = error { try demand(false, "a server that has ended is not awaited") }
            switch DeliveryOutcome(error) {
            case .rejected(let failure):
                try demand(
                    failure.code.map { $0 >= 500 } ?? (choice & 4 != 0), "only the server rejects a message for good")
            case .sent: try demand(false, "an error delivers nothing")
            case .deferred, .transportUnavailable, .interrupted, .uncertain: break
            }
        }
    }
}
