import HTTPServer
import Testing

struct HTTPRequestTests {
    private func items(_ query: String?) -> [String] {
        HTTPRequest(.get, "/", query: query).queryItems.map { "\($0.name)=\($0.value)" }
    }

    @Test func queryItemsAreDecodedAsForms() {
        #expect(items(nil) == [])
        #expect(items("") == [])
        #expect(items("a=1&b=x+y&c=%C3%A4%2B&d&e=&=f&&g=1=2") == ["a=1", "b=x y", "c=ä+", "d=", "e=", "=f", "g=1=2"])
    }

    @Test func invalidEscapeIsKept() {
        #expect(items("a=%&b=%4&c=%zz&d=%41") == ["a=%", "b=%4", "c=%zz", "d=A"])
    }

    @Test func invalidUTF8IsReplaced() {
        #expect(items("a=%ff") == ["a=\u{fffd}"])
    }

    @Test func firstOfRepeatedNamesIsUsed() {
        let request = HTTPRequest(.get, "/", query: "key=one&key=two")
        #expect(request.queryItem("key") == "one")
        #expect(request.queryItem("other") == nil)
    }

    @Test func queryItemsAreBounded() {
        let query = (0...HTTPRequest.queryItemLimit).map { "n\($0)=1" }.joined(separator: "&")
        let request = HTTPRequest(.get, "/", query: query)
        #expect(request.queryItems.count == HTTPRequest.queryItemLimit)
        #expect(request.queryItem("n\(HTTPRequest.queryItemLimit - 1)") == "1")
        #expect(request.queryItem("n\(HTTPRequest.queryItemLimit)") == nil)
    }

    @Test func constructedHeadersBehaveLikeReceivedOnes() {
        var headers = HTTPHeaders([("Content-Type", "a"), ("X", "1")])
        headers.append("x", "2")
        #expect(headers["content-type"] == "a")
        #expect(headers.values("X") == ["1", "2"])
        #expect(headers["y"] == nil)
        #expect(headers.count == 3)
    }

    @Test func methodNamesRoundTrip() {
        for name in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get"] {
            #expect(HTTPMethod(name).name == name)
        }
        #expect(HTTPMethod("get") != .get)
    }
}
