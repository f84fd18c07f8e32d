//! What the HTTP server can be told to do wrong, so that a check can be shown to catch it.

/// One deliberate mistake of the transport. A sound server makes none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// Every stream of a session numbers its events from the start.
    EventIdsRepeat,
    /// A stream that is resumed brings what other streams carried.
    ReplaysOthers,
    /// Streams do not begin with an event that lets the client come back.
    NoPriming,
    /// A connection is closed early without saying when to come back.
    NoRetry,
    /// A connection that breaks ends the work.
    DisconnectCancels,
    /// A stream stays open after its response.
    StaysOpen,
    /// Notifications of a request go to the GET stream as well.
    Broadcasts,
    /// Responses go to the GET stream as well.
    RespondsOnGet,
    /// Session ids are counted.
    CountedSessions,
    /// Session ids have a space in them.
    SpacedSessions,
    /// A session that nobody opened is served.
    AnySession,
    /// Ending one session ends all of them.
    DeleteEndsAll,
    /// A session that does not repeat its version with every request is refused.
    VersionInsisted,
    /// GET and DELETE that name a modern revision are taken for legacy ones.
    ModernGet,
    /// A header whose name is in capitals is not seen.
    CapitalsLost,
    /// The stream of HTTP+SSE begins without an endpoint.
    NoEndpoint,
    /// The endpoint of HTTP+SSE is on another origin.
    ForeignEndpoint,
    /// The endpoint of HTTP+SSE is in a JSON object.
    JsonEndpoint,
    /// HTTP+SSE answers in the body of the POST.
    AnswersPost,
    /// A refusal for want of a token has no challenge.
    NoChallenge,
    /// The challenge does not say where the metadata is.
    NoMetadataUrl,
    /// There is no metadata anywhere.
    NoMetadata,
    /// The metadata names no authorization server.
    NoAuthorizationServers,
    /// The metadata is about another resource.
    OtherResource,
    /// The challenge names no scope.
    NoScope,
    /// The challenge asks for `offline_access`.
    OfflineAccess,
    /// A missing token is 403.
    ForbidsInstead,
    /// Any token will do.
    AnyToken,
    /// Whatever looks like a JWT will do.
    AnyJwt,
    /// A token in the query string will do.
    QueryToken,
    /// Within a session no token is asked for.
    SessionSuffices,
}
